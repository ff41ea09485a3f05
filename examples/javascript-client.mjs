// The JavaScript client of API_REFERENCE.md. Run it from the repository's root after `npm run build`:
//   node examples/javascript-client.mjs [vault]
// Without a vault it scans the sample vault of the repository.
// One word differs from the document: a class may not name a parameter `arguments`, so it is `args` here.
import { spawn } from 'child_process';
import { fileURLToPath } from 'url';

export class ObsidianMCPClient {
    constructor(serverPath) {
        this.serverPath = serverPath;
    }
    
    async callTool(toolName, args) {
        return new Promise((resolve, reject) => {
            const process = spawn('node', [this.serverPath]);
            
            const request = {
                jsonrpc: "2.0",
                id: 1,
                method: "tools/call",
                params: {
                    name: toolName,
                    arguments: args
                }
            };
            
            let stdout = '';
            process.stdout.on('data', (data) => {
                stdout += data.toString();
            });
            
            process.on('close', (code) => {
                if (code === 0) {
                    try {
                        const response = JSON.parse(stdout);
                        resolve(response);
                    } catch (error) {
                        reject(new Error('Invalid JSON response'));
                    }
                } else {
                    reject(new Error(`Process exited with code ${code}`));
                }
            });
            
            process.stdin.write(JSON.stringify(request));
            process.stdin.end();
        });
    }
    
    async scanVault(vaultPath) {
        return this.callTool('scan_vault', { vaultPath });
    }
    
    async createTask(title, area, options = {}) {
        return this.callTool('create_task', { title, area, ...options });
    }
}

// Usage
if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const client = new ObsidianMCPClient('./dist/index.js');
    client.scanVault(process.argv[2] ?? 'test-vault')
        .then(({ result }) => {
            for (const { text } of result.content) console.log(text);
            if (result.isError) process.exitCode = 1;
        })
        .catch(error => {
            console.error(error);
            process.exitCode = 1;
        });
}
