// Finnish.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'sinä, as Finnish banks and MobilePay do. Buttons: imperative (“Kopioi koodi”).',
  say: {
    wallet: 'lompak',
    // Two words, as one says “pankin sovellus”: the compound is too long for a narrow heading.
    walletApp: 'lompakon sovellu',
    walletWebsite: 'lompakon verkkosivusto',
    walletId: 'lompakon tunnu',
    payment: 'maksu',
    paymentService: 'maksupalvelu',
    order: 'tilau',
    shop: 'kaup',
    amount: 'summa',
    code: 'koodi',
    image: 'kuva',
    device: 'laittee',
    request: 'maksupyyn',
    confirm: 'vahvist',
    logIn: 'kirjaudu|kirjautua',
    website: 'verkkosivusto',
    connection: 'yhtey',
    method: 'maksutapa',
    anotherWay: 'toisella tavalla',
    tryAgain: 'yri\\S+( nyt)? uudelleen',
    chargedTwice: 'sinua ei veloiteta kahdesti',
    payTwice: 'muuten maksat kahdesti',
    noMoney: 'rahaa ei veloitettu',
    countsIfPaid: 'maksusi huomioidaan',
  },
  never: {
    maksusivu: 'English says the wallet’s website',
    'avoin|avoimeen': 'a payment that is “open” is a calque: it is “kesken”',
    '(?<!maksu)pyynt|(?<!maksu)pyynn': 'which request? “maksupyyntö”',
    täällä: 'means around here; the result shows “tässä”',
    lompakkosovellu: 'one spelling: “lompakon sovellus”',
  },
} satisfies Glossary;
