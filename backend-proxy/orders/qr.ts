// Encodes the text of a QR code on the server, once per payment, so that no shopper loads an encoder (89 ms on a slow
// phone, a third of the bytes of the widget). The library makes the symbol with its first mask; the best of the eight
// masks is chosen here, because the library takes four times as long to find it.
import { create, type QRCodeMaskPattern } from 'qrcode';
import type { QrCode } from '../protocol/wire.ts';
import { best, difference, symbolOf, type QrSymbol } from './qr-mask.ts';

const MASKS: readonly QRCodeMaskPattern[] = [0, 1, 2, 3, 4, 5, 6, 7];

/** By the size of a symbol, of which there are 40: how each mask differs from the first, in every symbol. */
const masksBySize = new Map<number, QrSymbol[]>();

/** `code`: text to encode, or a `data:image/…` URL, which is passed through. */
export function toQrCode(code: string): QrCode {
  if (code.startsWith('data:image/')) return { image: code };
  const first = encode(code, 0);
  let masks = masksBySize.get(first.size);
  if (masks === undefined) {
    masks = MASKS.map((mask) => difference(first, encode(code, mask)));
    masksBySize.set(first.size, masks);
  }
  const symbol = best(masks.map((mask) => difference(first, mask))) ?? first;
  return { text: code, size: symbol.size, modules: packBits(symbol).toString('base64url') };
}

function encode(text: string, maskPattern: QRCodeMaskPattern): QrSymbol {
  const { data, size } = create(text, { errorCorrectionLevel: 'M', maskPattern }).modules;
  return symbolOf(data, size);
}

/** One bit per module, the first in the most significant bit of the first byte. */
function packBits({ size, words, rows }: QrSymbol): Buffer {
  const bytes = Buffer.alloc(Math.ceil((size * size) / 8));
  for (let row = 0, at = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1, at += 1) {
      const word = rows[row * words + (column >> 5)] ?? 0;
      if ((word >>> (column & 31)) & 1) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7));
    }
  }
  return bytes;
}
