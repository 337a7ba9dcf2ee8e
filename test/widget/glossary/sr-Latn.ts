// Serbian, in Latin script; sr.ts says the same in Cyrillic.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'vi with a small letter. Buttons: imperative of the second person singular (“Kopiraj kod”).',
  say: {
    wallet: 'novčanik',
    walletApp: 'aplikacij(a|u|i|om) novčanika',
    walletWebsite: 'sajtu? novčanika',
    walletId: 'ID novčanika',
    // The act of paying, and the money that arrives.
    payment: 'plaćanj|uplat',
    paymentService: 'usluga plaćanja',
    order: 'porudžbin',
    shop: 'prodavnic',
    amount: 'iznos',
    code: 'kod',
    image: 'slik',
    device: 'uređaj',
    request: 'zahtev',
    confirm: 'potvrd',
    logIn: 'prijav',
    website: 'sajt',
    connection: 'vez[au]',
    method: 'način plaćanja',
    anotherWay: 'na drugi način',
    tryAgain: 'poku\\S+ ponovo',
    chargedTwice: 'novac vam neće biti skinut dva puta',
    payTwice: 'inače ćete platiti dva puta',
    noMoney: 'novac vam nije skinut',
    countsIfPaid: 'vaša uplata važi',
  },
  never: {
    'stranic\\S+ za plaćanje': 'English says the wallet’s website',
    'još je otvoreno': 'a payment that is “open” is a calque: it is not finished yet',
    'nema veze': 'also means “never mind”',
    'molimo vas da': 'too long for a button’s help: the polite imperative is enough',
  },
} satisfies Glossary;
