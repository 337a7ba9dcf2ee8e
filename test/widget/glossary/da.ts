// Danish.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'du, as Danish banks and MobilePay do. Buttons: imperative (“Kopiér kode”).',
  say: {
    wallet: 'wallet',
    walletApp: 'wallet-app',
    walletWebsite: 'wallettens hjemmeside',
    walletId: 'wallet-id',
    payment: 'betaling',
    paymentService: 'betalingstjeneste',
    order: 'ordre',
    shop: 'butik',
    amount: 'beløb',
    code: 'kode',
    image: 'billede',
    device: 'enhed',
    request: 'anmodning',
    confirm: 'bekræft',
    logIn: 'log(ge)? ind',
    website: 'hjemmeside',
    connection: 'forbindelse',
    method: 'betalingsmetode',
    anotherWay: 'på en anden måde',
    tryAgain: 'prøve? igen',
    chargedTwice: 'Beløbet bliver ikke trukket to gange',
    payTwice: 'ellers betaler du to gange',
    noMoney: 'ikke trukket penge',
    countsIfPaid: 'tæller din betaling',
  },
  never: {
    betalingssiden: 'English says the wallet’s website',
    'åbne? betaling|stadig åben': 'copied from English “open payment”; a payment is “ikke afsluttet”',
    betalingsmåde: 'dated; shops and banks say “betalingsmetode”',
    'gælder din betaling': 'means that it is in force, not that it counts',
  },
} satisfies Glossary;
