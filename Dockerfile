# Built in one image, run in another that holds no package manager's cache and no source.
# Which build of Node: node:24-bookworm-slim@sha256:..., its digest so that the same image is built every time.
# docs/operations.md says how to look it up.
ARG NODE_IMAGE
FROM ${NODE_IMAGE} AS build
ARG NODE_IMAGE
WORKDIR /app
COPY package.json package-lock.json .npmrc .nvmrc ./
COPY scripts scripts
RUN node scripts/check-base-image.mjs "$NODE_IMAGE"
# With .npmrc no package runs anything when it is installed, so that nothing is compiled either.
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
# Sandbox, demo, benchmarks, chaos and tests are not built here, so that they cannot be in the image.
COPY src src
COPY migrations migrations
RUN npm run build && npm run --silent sbom > dist/sbom.json && npm prune --omit=dev --omit=optional

FROM ${NODE_IMAGE}
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
CMD ["node", "--enable-source-maps", "--max-semi-space-size=16", "dist/src/main.js"]
