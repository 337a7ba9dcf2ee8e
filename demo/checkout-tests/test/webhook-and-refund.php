<?php
// A payment, its webhook and a refund, by HTTP alone. Run by `payment-sandbox exec --stopped`, which sets the variables.
require 'node_modules/payment-proxy/docs/clients/payments.php';

function post(string $url, array $body, array $headers = []): array
{
    $header = ['content-type: application/json', ...$headers];
    $http = ['method' => 'POST', 'header' => $header, 'content' => json_encode($body), 'ignore_errors' => true];
    return json_decode(file_get_contents($url, context: stream_context_create(['http' => $http])), true);
}

function expect(bool $holds, string $what): void
{
    echo $holds ? "ok: $what\n" : "FAILED: $what\n";
    if (!$holds) {
        exit(1);
    }
}

// The shop's own endpoint, in a process of its own.
putenv('RECEIVED=' . tempnam(sys_get_temp_dir(), 'webhooks'));
$quiet = [1 => ['file', '/dev/null', 'a'], 2 => ['file', '/dev/null', 'a']];
$shop = proc_open([PHP_BINARY, '-S', '127.0.0.1:8123', 'webhook.php'], $quiet, $pipes);
register_shutdown_function(fn() => proc_terminate($shop) && unlink(getenv('RECEIVED')));
for ($tries = 0; $tries < 100 && !@fsockopen('127.0.0.1', 8123); $tries++) {
    usleep(50_000);
}
$events = fn(): array => array_map(fn($line) => json_decode($line, true), file(getenv('RECEIVED')));

$sandbox = getenv('PAYMENT_SANDBOX_URL') . '/_sandbox';
$order = ['orderId' => 'A-1', 'amount' => '10.10', 'currency' => 'EUR', 'returnUrl' => 'http://127.0.0.1:8123/'];
$token = sign_order([...$order, 'exp' => time() + 3600], getenv('ORDER_SECRET'));
$view = post("$sandbox/shopper", ['token' => $token, 'method' => 'QR', 'does' => 'approve']);
expect($view['paid'], 'the order is paid');
expect($events()[0]['type'] === 'payment.succeeded', 'the webhook says so');

$key = ['authorization: Bearer ' . getenv('MERCHANT_API_KEY'), 'idempotency-key: R-1'];
post(getenv('PAYMENT_PROXY_URL') . '/orders/A-1/refunds', ['amount' => '4'], $key);
post("$sandbox/clock", ['advanceMs' => 60_000]);
expect($events()[1]['type'] === 'refund.succeeded', 'the refund has ended');
expect($events()[1]['data']['amount'] === '4.00', 'its amount is right');
