# The program in an image of its own: built in the first stage, run by an unprivileged user without a shell in the second.
#   docker build -t obsidian-vault-mcp-server:0.1.0 .
# docs/deployment.md says how to run it; scripts/check-deployment.js holds this file to its promises.
ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# No package's own install script runs: what is needed of them comes ready in the packages.
RUN ["npm", "ci", "--ignore-scripts"]
COPY tsconfig.json LICENSE ./
COPY scripts scripts
COPY src src
# The build warms up over the sample vault.
COPY test-vault test-vault
RUN ["node", "scripts/build.js", "--bundle-only", "--out", "image/app/dist"]
# The text of PDFs: the one package that is not bundled.
RUN ["install", "-d", "image/app/node_modules"]
RUN ["cp", "-R", "node_modules/unpdf", "image/app/node_modules/unpdf"]
# Licences of all that is bundled, and a folder for index, undo journal and home that any user may write to (see VAULT_UID).
RUN ["node", "scripts/licences.js", "image/app/THIRD_PARTY_LICENCES"]
RUN ["install", "-m", "0644", "package.json", "LICENSE", "image/app/"]
RUN ["install", "-d", "-m", "1777", "image/data"]

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="obsidian-vault-mcp-server" \
      org.opencontainers.image.description="An Obsidian vault as task manager and notebook for AI assistants, over MCP" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT" \
      io.modelcontextprotocol.server.name="io.github.obsidian-vault-mcp-server/obsidian-vault-mcp-server"
# As one tree, so that the folders keep their modes.
COPY --from=build /build/image/ /
WORKDIR /app
# Everything that is written outside the vault goes to /data (index, undo journal) and /tmp (locks): the root may be read-only.
ENV NODE_ENV=production \
    HOME=/data \
    XDG_CACHE_HOME=/data/cache \
    XDG_STATE_HOME=/data/state \
    VAULT_PATH=/vault \
    BIND_ADDR=0.0.0.0:8080 \
    LOG_LEVEL=info \
    LOG_FORMAT=json
USER 1001:1001
EXPOSE 8080
# /health says nothing of the vault: an unreachable vault takes the server out of service (/ready), and does not restart it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["node", "/app/dist/index.js", "--health-check"]
ENTRYPOINT ["node", "/app/dist/index.js"]
# Listening on all addresses needs a token (AUTH_TOKEN_FILE). Arguments of `docker run` stand in its place: `docker run -i IMAGE /vault` speaks stdio.
CMD ["--http"]
