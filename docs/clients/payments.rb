# What a shop in Ruby needs of payment-proxy: sign an order, verify a webhook. Ruby 3, no gem.
require "json"
require "openssl"

def sign_order(claims, secret)
  raise ArgumentError, "The order secret needs at least 32 bytes." if secret.to_s.bytesize < 32

  encode = ->(bytes) { [bytes].pack("m0").tr("+/", "-_").delete("=") }
  signed = [{ alg: "HS256", typ: "JWT" }, claims].map { |part| encode.(JSON.generate(part)) }.join(".")
  "#{signed}.#{encode.(OpenSSL::HMAC.digest("SHA256", secret, signed))}"
end

# The webhook, or nil for what is not signed with your secret or is older than five minutes: answer that with 400.
def verify_webhook(raw_body, headers, secret, now: Time.now.to_i)
  key = secret.to_s.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m0") : ""
  raise ArgumentError, 'A webhook secret is "whsec_" and 24 or more bytes in base64.' if key.bytesize < 24

  headers = headers.transform_keys(&:downcase)
  id, timestamp = headers.values_at("webhook-id", "webhook-timestamp")
  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.#{raw_body}")].pack("m0")
  return nil if (now - timestamp.to_i).abs > 300

  signatures = headers.fetch("webhook-signature", "").split(" ")
  JSON.parse(raw_body) if signatures.any? { |given| OpenSSL.secure_compare(expected, given) }
end
