// Spanish of Latin America.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'usted, as banks do, in words without gender and common to the region. Buttons: infinitive (“Copiar código”).',
  say: {
    wallet: 'billetera',
    walletApp: 'app de (la|su) billetera',
    walletWebsite: 'sitio web de la billetera',
    walletId: 'ID de ((la|su) )?billetera',
    payment: 'pago',
    paymentService: 'servicio de pago',
    order: 'pedido',
    shop: 'tienda',
    amount: 'monto',
    code: 'código',
    image: 'imagen',
    device: 'dispositivo',
    request: 'solicitud',
    confirm: 'confirm|confírm',
    logIn: 'inici(e|ar) sesión',
    website: 'sitio web',
    connection: 'conexión',
    method: 'método de pago',
    anotherWay: 'de otra forma',
    tryAgain: 'intent(e|ar) de nuevo',
    chargedTwice: 'No se le cobrará dos veces',
    payTwice: 'de lo contrario, pagará dos veces',
    noMoney: 'no se cobró nada',
    countsIfPaid: 'su pago es válido',
  },
  // The first sentence has just named the wallet.
  without: { walletApp: ['walletEmpty'] },
  never: {
    'monedero|importe|introduzca|aplicación|caducad': 'as in Spain: billetera, monto, ingrese, app, expiró',
    '\\bha (pagado|llegado|iniciado|cobrado|confirmado)\\b': 'Latin America says what is over in the preterite',
    'teléfono|móvil|ordenador': 'celular, computadora',
    'página de pago': 'English says the wallet’s website',
    '\\b(vosotros|vuestr[oa]s?|os)\\b': 'several people are ustedes',
  },
} satisfies Glossary;
