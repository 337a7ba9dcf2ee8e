// Slovenian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'vi with a small letter. Buttons: imperative of the second person singular (“Kopiraj kodo”).',
  say: {
    wallet: 'denarnic',
    walletApp: 'aplikacij[aoei] denarnice',
    walletWebsite: 'spletn(o|em|ega) mest[oua] denarnice',
    walletId: 'ID denarnice',
    payment: 'plačil',
    paymentService: 'plačilna storitev',
    order: 'naročil',
    shop: 'trgovin',
    amount: 'znes',
    code: 'kod[aoe]',
    image: 'slik',
    device: 'naprav',
    request: 'zahtevek|zahtevka',
    confirm: 'potrdi|potrjuj',
    logIn: 'prijavi|prijavo',
    website: 'spletn(o|em|ega) mest',
    connection: 'povezav',
    method: 'način plačila',
    anotherWay: 'na drug način',
    tryAgain: 'znova',
    chargedTwice: 'znesek vam ne bo zaračunan dvakrat',
    payTwice: 'sicer boste plačali dvakrat',
    noMoney: 'nič vam ni bilo zaračunano|sicer vam ni bilo zaračunano nič',
    countsIfPaid: 'vaše plačilo velja',
  },
  never: {
    'plačiln\\S* stran': 'English says the wallet’s website',
    odprto: 'a payment that is “open” is a calque: it is not finished yet',
    'zahtev[aoi](?!\\p{L})': 'a request for payment is “zahtevek”, as in Flik; “zahteva” is a demand',
    preberite: 'apps say “skenirajte”; “preberite” is also to read',
  },
} satisfies Glossary;
