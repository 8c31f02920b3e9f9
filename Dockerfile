# One image for the API, the workers and the one-shot commands: `node api/main.ts`, `node worker/main.ts --queues …`,
# `node db/migrate.ts`. Node runs the TypeScript as it is; only the workflows are
# bundled, once for all workers.
FROM node:24.21.0-bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends python3-pip
WORKDIR /app
COPY package.json package-lock.json ./
COPY sdk/package.json ./sdk/
COPY console/package.json ./console/
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
RUN node worker/build-workflows.ts --out dist/workflow-bundle.js
# A pinned ffmpeg without libraries, as a program of its own under its own licence; Debian's needs 230 packages.
RUN node dev/image/add-ffmpeg.ts /usr/local/bin/ffmpeg
RUN node dev/image/write-sbom.ts dist/sbom.cdx.json
RUN node dev/image/prune-packages.ts node_modules

# The console, whose packages are not part of the image.
FROM node:24.21.0-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY sdk/package.json ./sdk/
COPY console/package.json ./console/
RUN npm ci --workspace console --no-audit --no-fund
COPY sdk/src ./sdk/src
COPY console ./console
COPY dev/build-console.ts dev/project-root.ts ./dev/
RUN node dev/build-console.ts

# Without npm and the headers of Node.
FROM debian:bookworm-slim
LABEL org.opencontainers.image.title=Darkroom \
  org.opencontainers.image.version=0.1.0 \
  org.opencontainers.image.licenses=MIT
ENV NODE_ENV=production
COPY --from=build /usr/local/bin/node /usr/local/bin/ffmpeg /usr/local/bin/
# Temporal's client reads the authorities of the system.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY activities ./activities
COPY adapters ./adapters
COPY api ./api
COPY cli ./cli
COPY db ./db
COPY dev ./dev
COPY docs ./docs
COPY domain ./domain
COPY sdk/src ./sdk/src
COPY services ./services
COPY temporal ./temporal
COPY worker ./worker
COPY workflows ./workflows
COPY --from=console /app/dist/console ./dist/console
ENV WORKFLOW_BUNDLE=/app/dist/workflow-bundle.js
ENV NODE_COMPILE_CACHE=/app/.cache/node
RUN useradd --uid 1000 node && install -d -o node /app/.cache
USER node
# Compiles what every process loads, once: a third of the CPU time of a start. The cache is specific to the user.
RUN node --eval "Promise.all(['api/app.ts', 'worker/connect.ts', 'worker/deps.ts', 'worker/queues.ts', 'db/migrate-schema.ts'] \
  .map((path) => import('/app/' + path))).then(() => process.exit())"
EXPOSE 8080
# Chunks of request bodies are short-lived: a small young generation keeps the memory of uploads and their CPU time low,
# but costs lists more; decision 488 has the figures.
CMD ["node", "--max-semi-space-size=4", "api/main.ts"]
