// Estonian.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'teie with a small letter. Buttons: imperative of the second person singular (“Kopeeri kood”), as in Estonian apps.',
  say: {
    wallet: 'rahakot',
    walletApp: 'rahakotirakendus',
    walletWebsite: 'rahakoti veebisai',
    walletId: 'rahakoti ID',
    payment: 'makse',
    paymentService: 'makseteenus',
    order: 'tellimus',
    shop: 'pood|poodi|poe',
    amount: 'summa',
    code: 'kood',
    image: 'pil[dt]i',
    device: 'sead(e|m)',
    request: 'maksetaotlus',
    confirm: 'kinnita',
    logIn: 'logige.* sisse|sisselogi',
    website: 'veebisai',
    connection: 'ühendus',
    method: 'makseviis',
    anotherWay: 'muul viisil',
    tryAgain: 'uuesti',
    chargedTwice: 'teilt ei võeta raha kaks korda',
    payTwice: 'muidu maksate kaks korda',
    noMoney: 'raha ei võetud',
    countsIfPaid: 'läheb teie makse arvesse',
  },
  never: {
    makseleh: 'English says the wallet’s website',
    'makse kehtib': 'the payment counts; “kehtib” sounds as if it could expire',
    '(?<!makse)taotlus': 'an application to an authority; a request for money is a “maksetaotlus”',
    poega: 'comitative of “pood”, but it reads as “son”',
  },
} satisfies Glossary;
