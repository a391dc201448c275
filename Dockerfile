# One image for web, workers and beat. Debian's own Python and Node.js, for bots run on /usr/bin/python3 and /usr/bin/node.
FROM debian:bookworm-slim

RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        bubblewrap ca-certificates nodejs python3 python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --no-create-home --shell /usr/sbin/nologin arena

WORKDIR /srv/arena
ENV PATH=/srv/arena/.venv/bin:/usr/local/bin:/usr/bin:/bin PYTHONUNBUFFERED=1 DATA_DIR=/srv/data

COPY requirements.txt ./
RUN python3 -m venv .venv \
    && .venv/bin/python -m pip install --no-cache-dir --no-input --disable-pip-version-check \
        --require-hashes -r requirements.txt

COPY manage.py ./
COPY docs docs
COPY bots bots
COPY matches matches
COPY arena arena
# Readable for the unprivileged user whatever the umask of the checkout; the key below is used for nothing but this.
RUN chmod -R a+rX manage.py docs bots matches arena \
    && python -m compileall -q bots matches arena \
    && SECRET_KEY=only-while-building python manage.py collectstatic --no-input --verbosity 0

USER 1000:1000
EXPOSE 8000
