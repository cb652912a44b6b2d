FROM node:22-bookworm-slim AS build
WORKDIR /matterhorn
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY src/postgres/driver.patch src/postgres/driver.patch
RUN npx -y bun@1.4.5 install --frozen-lockfile
COPY src src
COPY drizzle drizzle
# Which commit this is: docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .
ARG COMMIT=unknown
RUN MATTERHORN_BUILD_COMMIT=$COMMIT npx -y bun@1.4.5 run build

FROM debian:bookworm-slim
# The embedded Postgres needs a user with a name, and its C++ library.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libstdc++6 curl \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --home-dir /data --no-create-home matterhorn \
  && install --directory --owner matterhorn --group matterhorn --mode 700 /data
COPY --from=build /matterhorn/dist/matterhorn /usr/local/bin/matterhorn
USER matterhorn
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD curl -fsS http://127.0.0.1:3000/readyz
STOPSIGNAL SIGTERM
ENTRYPOINT ["matterhorn"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data"]
