// Croatian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'vi with a small letter. Buttons: imperative of the second person singular (“Kopiraj kôd”).',
  say: {
    wallet: 'novčanik',
    walletApp: 'aplikacij(a|u|i|om) novčanika',
    walletWebsite: 'web-stranic[aiu] novčanika',
    walletId: 'ID novčanika',
    // The act of paying, and the money that arrives.
    payment: 'plaćanj|uplat',
    paymentService: 'usluga plaćanja',
    order: 'narudžb',
    shop: 'trgovin',
    amount: 'iznos',
    code: 'kôd',
    image: 'slik',
    device: 'uređaj',
    request: 'zahtjev',
    confirm: 'potvrd',
    logIn: 'prijav',
    website: 'web-stranic',
    connection: 'vez[au]',
    method: 'način plaćanja',
    anotherWay: 'na drugi način',
    tryAgain: 'poku\\S+ ponovno',
    chargedTwice: 'iznos vam neće biti naplaćen dvaput',
    payTwice: 'inače ćete platiti dvaput',
    noMoney: 'ništa vam nije naplaćeno|inače vam ništa nije naplaćeno',
    countsIfPaid: 'vaša uplata vrijedi',
  },
  never: {
    'stranic\\S+ za plaćanje': 'English says the wallet’s website',
    '(je|još je) otvoreno': 'a payment that is “open” is a calque: it is not finished yet',
    'nećemo vam': 'nobody knows who “we” are: the amount is the subject',
    'nema veze': 'also means “never mind”',
    telefon: 'in Croatia a phone with apps is a “mobitel”',
  },
} satisfies Glossary;
