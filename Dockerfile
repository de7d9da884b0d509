# An image with the .deb of this commit. A document: the project's checks do not build it.
#   docker build -t tiffin-live .
#   docker run -p 8080:8080 -v ./tiffin-live.json5:/etc/tiffin-live/tiffin-live.json5:ro \
#       -v ./keys.json:/etc/tiffin-live/keys.json:ro --ulimit nofile=1048576 tiffin-live
# The build needs the folder .git: the version and the time of the package are those of the commit.
# The admin listener is on 127.0.0.1:9090 inside; give it an address of a private network to reach it from outside.
FROM swift:6.2-bookworm AS build
WORKDIR /usr/src/tiffin-live
COPY . .
RUN scripts/package --out /out

FROM debian:bookworm-slim
COPY --from=build /out/*.deb /tmp/
RUN apt-get update \
    && apt-get install -y --no-install-recommends /tmp/*.deb ca-certificates \
    && rm -rf /tmp/*.deb /var/lib/apt/lists/*
USER tiffin-live
EXPOSE 8080
# SIGTERM drains: give it longer than drain.grace and drain.spread (docker stop --time 60).
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tiffin-live"]
CMD ["serve", "--config", "/etc/tiffin-live/tiffin-live.json5"]
