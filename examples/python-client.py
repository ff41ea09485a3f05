# The Python client of API_REFERENCE.md. Run it from the repository's root after `npm run build`:
#   python3 examples/python-client.py [vault]
# Without a vault it scans the sample vault of the repository.
import json
import subprocess
import sys

class ObsidianMCPClient:
    def __init__(self, server_path):
        self.server_path = server_path
    
    def call_tool(self, tool_name, arguments):
        request = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": tool_name,
                "arguments": arguments
            }
        }
        
        process = subprocess.Popen(
            ["node", self.server_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True
        )
        
        stdout, stderr = process.communicate(json.dumps(request))
        return json.loads(stdout)
    
    def scan_vault(self, vault_path):
        return self.call_tool("scan_vault", {"vaultPath": vault_path})
    
    def create_task(self, title, area, **kwargs):
        args = {"title": title, "area": area, **kwargs}
        return self.call_tool("create_task", args)

# Usage
if __name__ == "__main__":
    client = ObsidianMCPClient("./dist/index.js")
    result = client.scan_vault(sys.argv[1] if len(sys.argv) > 1 else "test-vault")["result"]
    for block in result["content"]:
        print(block["text"])
    sys.exit(1 if result.get("isError") else 0)
