#!/bin/sh
# Makes the secrets of compose.yaml, kubernetes.yaml or payment-proxy.service, each in a file of the folder FOLDER.
# Files that are there already stay. The gateway's key is not made here: write it into FOLDER/gateway_api_key.
#   make-secrets.sh FOLDER [HOST OF POSTGRESQL]
# The folder is for its owner only. The files may be read by all, because the user in a container has another number.
set -eu
folder=$1
host=${2-postgres}

mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"

# make NAME COMMAND: the output becomes the file, without a newline.
make() {
  name=$1
  shift
  if [ ! -e "$name" ]; then
    value=$("$@")
    printf %s "$value" >"$name.new"
    chmod 0444 "$name.new"
    mv "$name.new" "$name"
  fi
}

webhook_secret() {
  key=$(openssl rand -base64 32)
  echo "whsec_$key"
}

database_url() {
  password=$(cat database_password)
  echo "postgres://payment:$password@$host:5432/payment"
}

make order_secret openssl rand -base64 48
make merchant_api_key openssl rand -hex 32
make ipn_secret openssl rand -hex 24
make metrics_token openssl rand -hex 24
make admin_token openssl rand -hex 24
make webhook_secret webhook_secret
make database_password openssl rand -hex 24
make database_url database_url

if [ ! -e gateway_api_key ]; then
  echo "Write the gateway's key into $folder/gateway_api_key; the sandbox takes any." >&2
fi
