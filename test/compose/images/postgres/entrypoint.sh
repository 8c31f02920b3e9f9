#!/bin/sh
# What the entry point of the real image does with the variables of docker-compose.yml.
set -eu
install -d -o postgres -g postgres /var/run/postgresql
as_postgres='setpriv --reuid=postgres --regid=postgres --clear-groups'
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$PGDATA"
  install -o postgres -g postgres -m 600 /dev/null /tmp/password
  printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
  # The arguments are a list.
  # shellcheck disable=SC2086
  $as_postgres initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 $POSTGRES_INITDB_ARGS
  rm /tmp/password
  echo "create database $POSTGRES_DB" | $as_postgres postgres --single -D "$PGDATA" postgres
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
  echo "unix_socket_directories = '/var/run/postgresql'" >> "$PGDATA/postgresql.conf"
fi
# shellcheck disable=SC2086
exec $as_postgres "$@"
