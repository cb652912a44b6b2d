FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
WORKDIR /matterhorn
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY src/postgres/driver.patch src/postgres/driver.patch
RUN npx -y bun@1.4.5 install --frozen-lockfile --ignore-scripts
COPY src src
COPY drizzle drizzle
COPY docs/integrators.md docs/integrators.md
# Which commit this is: docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .
ARG COMMIT=unknown
RUN MATTERHORN_BUILD_COMMIT=$COMMIT npx -y bun@1.4.5 run build

FROM debian:bookworm-slim@sha256:4724b8cc51e33e398f0e2e15e18d5ec2851ff0c2280647e1310bc1642182655d
# The embedded Postgres needs a user with a name, and its C++ library.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libstdc++6 \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --home-dir /data --no-create-home matterhorn \
  && install --directory --owner matterhorn --group matterhorn --mode 700 /data
COPY --from=build /matterhorn/dist/matterhorn /usr/local/bin/matterhorn
USER matterhorn
# The runtime collects its heap before it is twice as large, also on a machine with much memory.
ENV BUN_JSC_heapGrowthMaxIncrease=1
# Says to `matterhorn upgrade` that a new image is what upgrades this.
ENV container=docker
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["matterhorn", "ready"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["matterhorn"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data"]
