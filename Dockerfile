# Built in one image, run in another that holds no compiler, no package manager's cache and no source.
FROM node:20-bookworm-slim AS build
# For the native SQLite driver, the one package that is compiled.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY src src
COPY migrations migrations
COPY sandbox sandbox
COPY demo demo
COPY bench bench
RUN npm run build && npm run --silent sbom > dist/sbom.json && npm prune --omit=dev

FROM node:20-bookworm-slim
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The one place that is written to, so that the rest can be mounted read-only.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
ENV HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/pulsekeep.sqlite
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "dist/src/main-health.js"]
CMD ["node", "--enable-source-maps", "dist/src/main.js"]
