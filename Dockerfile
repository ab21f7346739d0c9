# docker build -t pulsekeep .
# The base image is named by tag and digest, so that every build starts from the same bytes. To use another:
#   docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:... .
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc .nvmrc ./
COPY scripts scripts
# .npmrc keeps packages from running install scripts, so nothing is compiled here.
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY migrations migrations
COPY console console
COPY clients/typescript/src clients/typescript/src
COPY docs/runbook.md docs/runbook.md
RUN npm run build
COPY openapi.json ./
RUN npm run --silent sbom > dist/sbom.json

# The simulated upstream and the people of the demo, for the demo profile of compose.yaml; nothing of it is in the service's image.
FROM build AS sandbox
COPY sandbox sandbox
COPY harness harness
COPY demo demo
RUN npx tsc -p tsconfig.build.json
USER 1000:0
CMD ["node", "dist/sandbox/main.js"]

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts scripts
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund
RUN node scripts/slim-packages.mjs

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="pulsekeep" \
      org.opencontainers.image.description="The health-data backend between an app and its aggregation and lab-ordering service" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/package.json /app/openapi.json ./
COPY --from=build /app/dist dist
# /data is the only folder the service writes to; the root file system can be read-only. Platforms that choose a random
# uid put it into group 0, which may write here.
RUN mkdir /data && chown 1000:0 /data && chmod 2770 /data
VOLUME /data
USER 1000:0
ENV HOST=:: PORT=3000 DATABASE_URL=sqlite:/data/pulsekeep.sqlite
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "dist/src/main-health.js"]
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=100", "--no-allocation-site-pretenuring", "dist/src/main.js"]
