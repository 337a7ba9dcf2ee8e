<?php
// The shop's endpoint for webhooks: keeps what is signed with its secret, refuses the rest.
require 'node_modules/payment-proxy/docs/clients/payments.php';

$event = verify_webhook(file_get_contents('php://input'), getallheaders(), getenv('WEBHOOK_SECRET'));
if ($event === null) {
    http_response_code(400);
    exit;
}
file_put_contents(getenv('RECEIVED'), json_encode($event) . "\n", FILE_APPEND);
http_response_code(204);
