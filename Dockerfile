# The proxy as an image: docker build -t payment-proxy .
# And the demo's sandbox gateway and shop: docker build -t payment-demo --target demo .
#
# The version is the Node that the tests run on. A tag can be moved to other bytes; to pin those, add the digest that
# `docker buildx imagetools inspect node:24.21.0-slim` prints: node:24.21.0-slim@sha256:…
ARG NODE=node:24.21.0-slim

FROM ${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build
# The folder of an SQLite database: it has to belong to the proxy's user.
RUN mkdir -m 0700 data

FROM build AS demo
USER 1000:1000
CMD ["node", "demo/sandbox/main.ts"]

FROM ${NODE} AS proxy
LABEL org.opencontainers.image.title="payment-proxy" \
      org.opencontainers.image.description="The proxy of the payment widget: holds the gateway's key, records payments" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /build/dist/proxy /app
COPY --from=build --chown=1000:1000 /build/data /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787
# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
# Here is file:payments.db, the default of DATABASE_URL.
WORKDIR /data
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm between: the signals of `docker stop` reach Node. Commands are arguments: docker run … check
ENTRYPOINT ["node", "/app/lib/main.js"]
