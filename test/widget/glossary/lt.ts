// Lithuanian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'jūs with a small letter. Buttons: infinitive (“Kopijuoti kodą”).',
  say: {
    wallet: 'pinigin',
    walletApp: 'piniginės programėl',
    walletWebsite: 'piniginės svetain',
    walletId: 'piniginės ID',
    // A payment, and an overpayment.
    payment: 'mokėjim|permok',
    paymentService: 'mokėjimo paslaug',
    order: 'užsakym',
    shop: 'parduotuv',
    amount: 'sum(a|ą|oje)',
    code: 'kod[aą]',
    image: 'paveikslėl',
    device: 'įrengin',
    request: 'prašym',
    confirm: 'patvirtin',
    logIn: 'prisijun',
    website: 'svetain',
    connection: 'ryš',
    method: 'mokėjimo būdas',
    anotherWay: 'kitu būdu',
    tryAgain: 'dar kartą',
    chargedTwice: 'pinigai nebus nuskaičiuoti du kartus',
    payTwice: 'kitaip sumokėsite du kartus',
    noMoney: 'pinigai nenuskaičiuoti',
    countsIfPaid: 'jūsų mokėjimas bus įskaitytas',
  },
  never: {
    'mokėjimo puslap': 'English says the wallet’s website',
    'mokėjimas galioja': 'the payment counts; “galioja” sounds as if it could expire',
    'užklaus(a|ą)(?!\\p{L})': 'a query of a computer; what a wallet shows is a “prašymas”',
    'nuorodos numeris': '“nuoroda” is a link',
  },
} satisfies Glossary;
