// Dutch.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'u, as Dutch banks do. Buttons: noun or infinitive last (“Code kopiëren”), never the imperative.',
  say: {
    wallet: 'wallet',
    walletApp: 'wallet-app',
    walletWebsite: 'website van de wallet',
    walletId: 'wallet-ID',
    payment: 'betaling',
    paymentService: 'betaaldienst',
    order: 'bestelling',
    shop: 'winkel',
    amount: 'bedrag',
    code: 'code',
    image: 'afbeelding',
    device: 'apparaat',
    request: 'verzoek',
    confirm: 'bevestig',
    logIn: 'log (daar |daarom )?in|in te loggen',
    website: 'website',
    connection: 'verbinding',
    method: 'betaalmethode',
    anotherWay: 'andere betaalmethode',
    tryAgain: 'opnieuw',
    chargedTwice: 'niet dubbel afgeschreven',
    payTwice: 'anders betaalt u dubbel',
    noMoney: 'niets afgeschreven',
    countsIfPaid: 'telt uw betaling',
  },
  without: { payment: ['stopped'] },
  never: {
    betaalpagina: 'English says the wallet’s website',
    betaalwijze: 'dated; shops and banks say “betaalmethode”',
    'uw betaling geldig': 'the payment counts; “geldig” sounds as if it could expire',
    '\\b(je|jij|jouw)\\b': 'the shopper is addressed as u',
  },
} satisfies Glossary;
