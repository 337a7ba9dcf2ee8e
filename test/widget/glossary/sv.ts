// Swedish.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'du, as Swedish banks and Swish do. Buttons: imperative (“Kopiera kod”).',
  say: {
    wallet: 'plånbok',
    walletApp: 'plånboksapp',
    walletWebsite: 'plånbokens webbplats',
    walletId: 'plånboks-ID',
    payment: 'betalning',
    paymentService: 'betaltjänst',
    order: 'beställning',
    shop: 'butik',
    amount: 'belopp',
    code: 'kod',
    image: 'bild',
    device: 'enhet',
    request: 'förfråg',
    confirm: 'bekräfta',
    logIn: 'logga in',
    website: 'webbplats',
    connection: 'anslutning',
    method: 'betalsätt',
    anotherWay: 'annat betalsätt',
    tryAgain: 'försök(a)? igen',
    chargedTwice: 'inte att debiteras två gånger',
    payTwice: 'annars betalar du två gånger',
    noMoney: 'inga pengar (har )?dragits',
    countsIfPaid: 'räknas din betalning',
  },
  never: {
    betalsida: 'English says the wallet’s website',
    'gäller din betalning': 'means that it is in force, not that it counts',
    hemsida: 'a home page; the site is a “webbplats”',
    '\\bNi\\b': 'the shopper is addressed as du',
  },
} satisfies Glossary;
