// Spanish (Spain).
import type { Glossary } from '../glossary.ts';

export default {
  address: 'usted, as Spanish banks do, in words without gender. Buttons: infinitive (“Copiar código”).',
  say: {
    wallet: 'monedero',
    walletApp: 'aplicación de(l| su) monedero',
    walletWebsite: 'web del monedero',
    walletId: 'ID de(l| su)? monedero',
    payment: 'pago',
    paymentService: 'servicio de pago',
    order: 'pedido',
    shop: 'tienda',
    amount: 'importe',
    code: 'código',
    image: 'imagen',
    device: 'dispositivo',
    request: 'solicitud',
    confirm: 'confirm|confírm',
    logIn: 'inici(e|ar) sesión',
    website: 'web',
    connection: 'conexión',
    method: 'método de pago',
    anotherWay: 'de otra forma',
    tryAgain: 'de nuevo',
    chargedTwice: 'No se le cobrará dos veces',
    payTwice: 'de lo contrario, pagará dos veces',
    noMoney: 'no se ha cobrado nada',
    countsIfPaid: 'su pago es válido',
  },
  // The first sentence has just named the wallet.
  without: { walletApp: ['walletEmpty'] },
  never: {
    'página de pago': 'English says the wallet’s website',
    'se acabó': 'colloquial; time “se agota”',
    'con tranquilidad': 'means “at your leisure”; the meaning is “sin ningún riesgo”',
    'pago de más': 'colloquial for “pago adicional”',
    '(?<!momento), por favor\\.$': 'an afterthought at the end; it stands first',
  },
} satisfies Glossary;
