// Norwegian (Bokmål).
import type { Glossary } from '../glossary.ts';

export default {
  address: 'du, as Norwegian banks and Vipps do. Buttons: imperative (“Kopier kode”).',
  say: {
    wallet: 'lommebok',
    walletApp: 'lommebokapp',
    walletWebsite: 'lommebokens nettsted',
    walletId: 'lommebok-ID',
    payment: 'betaling',
    paymentService: 'betalingstjeneste',
    order: 'bestilling',
    shop: 'butikk',
    amount: 'beløp',
    code: 'kode',
    image: 'bilde',
    device: 'enhet',
    request: 'forespørsel',
    confirm: 'bekreft',
    logIn: 'logge? inn',
    website: 'nettsted',
    connection: 'forbindelse',
    method: 'betalingsmåte',
    anotherWay: 'på en annen måte',
    tryAgain: 'prøve? igjen',
    chargedTwice: 'ikke belastet to ganger',
    payTwice: 'ellers betaler du to ganger',
    noMoney: 'ingen penger (er )?trukket',
    countsIfPaid: 'teller betalingen din',
  },
  never: {
    betalingssiden: 'English says the wallet’s website',
    'åpen betaling|fortsatt åpen': 'copied from English “open payment”; a payment is “ikke avsluttet”',
    'gjelder betalingen': 'means that it is in force, not that it counts',
  },
} satisfies Glossary;
