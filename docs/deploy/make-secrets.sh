#!/bin/sh
# Makes the secrets of compose.yaml or payment-proxy.service, each in a file of the folder FOLDER. Files that are there
# already stay. The gateway's key is not made here: write it into FOLDER/gateway_api_key.
#   make-secrets.sh FOLDER [HOST OF POSTGRESQL]
# The folder is for its owner only. The files may be read by all, because the user in a container has another number.
set -eu
folder=$1
host=${2-postgres}

mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"

# make NAME: the standard input becomes the file, without a newline.
make() {
  if [ ! -e "$1" ]; then
    tr -d '\n' >"$1.new"
    chmod 0444 "$1.new"
    mv "$1.new" "$1"
  fi
}

openssl rand -base64 48 | make order_secret
openssl rand -hex 32 | make merchant_api_key
openssl rand -hex 24 | make ipn_secret
echo "whsec_$(openssl rand -base64 32)" | make webhook_secret
openssl rand -hex 24 | make metrics_token
openssl rand -hex 24 | make database_password
echo "postgres://payment:$(cat database_password)@$host:5432/payment" | make database_url

if [ ! -e gateway_api_key ]; then
  echo "Write the gateway's key into $folder/gateway_api_key; the sandbox takes any." >&2
fi
