# syntax=docker/dockerfile:1
# Sluice in a container: slim, non-root, Debian's ffmpeg, the jail launcher built in.
#   docker build -t sluice .
#   docker run -p 8080:8080 -p 8081:8081 -v sluice-data:/data sluice

FROM node:26.10.0-bookworm-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc libc6-dev libavcodec-dev libswresample-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY native ./native
RUN node native/build.mjs
COPY src ./src
COPY scripts/build.mjs ./scripts/
RUN node scripts/build.mjs

FROM node:26.10.0-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ffmpeg tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin sluice \
 && install -d -o sluice -g sluice -m 0750 /data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/native/build ./native/build
COPY --from=build /app/.built ./.built
COPY package.json sbom.cdx.json THIRD-PARTY-NOTICES.txt ./
COPY src ./src
COPY web ./web
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/data/compile-cache \
    SLUICE_DATA=/data \
    SLUICE_LISTEN_API=0.0.0.0:8080 \
    SLUICE_LISTEN_MEDIA=0.0.0.0:8081 \
    SLUICE_RTMP_LISTEN=0.0.0.0:1935
USER sluice
VOLUME /data
EXPOSE 8080 8081 1935
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "process.env.NODE_TLS_REJECT_UNAUTHORIZED='0';process.removeAllListeners('warning');const ask=(s,p)=>fetch(`${s}://127.0.0.1:${p}/healthz`,{signal:AbortSignal.timeout(2000)});Promise.all([8080,8081].map((p)=>ask('http',p).catch(()=>ask('https',p)))).then((r)=>process.exit(r.every((a)=>a.ok)?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--", "node", ".built/main.js"]
CMD ["serve"]
