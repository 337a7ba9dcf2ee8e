<?php
// What a shop in PHP needs of payment-proxy: sign an order, verify a webhook. PHP 8, no package.

function sign_order(array $claims, string $secret): string
{
    if (strlen($secret) < 32) {
        throw new InvalidArgumentException('The order secret needs at least 32 bytes.');
    }
    $encode = fn(string $bytes): string => rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    $json = fn(array $part): string => $encode(json_encode($part, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE));
    $signed = $json(['alg' => 'HS256', 'typ' => 'JWT']) . '.' . $json($claims);
    return $signed . '.' . $encode(hash_hmac('sha256', $signed, $secret, true));
}

/** The webhook, or null for what is not signed with your secret or is older than five minutes: answer that with 400. */
function verify_webhook(string $raw_body, array $headers, string $secret, ?int $now = null): ?array
{
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, strlen('whsec_')), true) : '';
    if (strlen((string) $key) < 24) {
        throw new InvalidArgumentException('A webhook secret is "whsec_" and 24 or more bytes in base64.');
    }
    $headers = array_map(fn($value) => is_array($value) ? $value[0] : $value, array_change_key_case($headers));
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$raw_body", $key, true));
    if (abs(($now ?? time()) - (int) $timestamp) > 300) {
        return null;
    }
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return json_decode($raw_body, true, flags: JSON_THROW_ON_ERROR);
        }
    }
    return null;
}
