// Czech.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'vy with a small letter, participles in -li for everyone. Buttons: infinitive (“Kopírovat kód”).',
  say: {
    wallet: 'peněžen',
    walletApp: 'aplikac[ei] peněženky',
    walletWebsite: 'webu? peněženky',
    walletId: 'ID peněženky',
    payment: 'platb',
    paymentService: 'platební služb',
    order: 'objednáv',
    shop: 'obchod',
    amount: 'částk',
    code: 'kód',
    image: 'obrázek',
    device: 'zařízení',
    request: 'žádost',
    confirm: 'potvr',
    logIn: 'přihlaste se|přihlášení',
    website: 'web',
    connection: 'připojení',
    method: 'způsob platby',
    anotherWay: 'jiným způsobem',
    tryAgain: 'znovu',
    chargedTwice: 'částka se nestrhne dvakrát',
    payTwice: 'jinak zaplatíte dvakrát',
    noMoney: 'žádné peníze nebyly strženy',
    countsIfPaid: 'vaše platba se započítá',
  },
  never: {
    'platební\\S* stránk': 'English says the wallet’s website',
    otevřen: 'a payment that is “open” is a calque: it is not finished yet',
    '(nestrh|strh)(li|neme)': 'nobody knows who “we” are: the amount is the subject',
    'platba je platná': 'the payment counts; “platná” sounds as if it could expire',
  },
} satisfies Glossary;
