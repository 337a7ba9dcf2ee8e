// Slovak.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'vy with a small letter. Buttons: infinitive (“Kopírovať kód”).',
  say: {
    wallet: 'peňažen',
    walletApp: 'aplikáci[aeiu]+ peňaženky',
    walletWebsite: 'webe? peňaženky',
    walletId: 'ID peňaženky',
    payment: 'platb',
    paymentService: 'platobn(á|ou) služb',
    order: 'objednáv',
    shop: 'obchod',
    amount: 'sum[au]',
    code: 'kód',
    image: 'obrázok',
    device: 'zariaden',
    request: 'žiadosť',
    confirm: 'potvr',
    logIn: 'prihláste|prihlásenie',
    website: 'web',
    connection: 'pripojeni',
    method: 'spôsob platby',
    anotherWay: 'iným spôsobom',
    tryAgain: 'znova',
    chargedTwice: 'peniaze sa nestrhnú dvakrát',
    payTwice: 'inak zaplatíte dvakrát',
    noMoney: 'nestrhli sa žiadne peniaze|sa nestrhli žiadne peniaze',
    countsIfPaid: 'vaša platba sa započíta',
  },
  never: {
    'platobn\\S* stránk': 'English says the wallet’s website',
    otvorená: 'a payment that is “open” is a calque: it is not finished yet',
    'platba je platná': 'the payment counts; “platná” sounds as if it could expire',
    nemožno: 'bookish: “nedá sa”, “nie je možné”',
  },
} satisfies Glossary;
