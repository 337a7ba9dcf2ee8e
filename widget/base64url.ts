// base64url → bytes, for the two things that arrive in it: the order token's claims and a code's modules.
// Owns nothing else. Uint8Array.fromBase64 would do, but is too young for phones that still shop.

/** Throws on a character outside the alphabet. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
