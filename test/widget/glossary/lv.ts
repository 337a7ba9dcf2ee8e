// Latvian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'jūs with a small letter. Buttons: infinitive (“Kopēt kodu”).',
  say: {
    wallet: '(?<!\\p{L})mak(s|a|u|ā)(?!\\p{L})',
    walletApp: 'maka lietotn',
    walletWebsite: 'maka vietn',
    walletId: 'maka ID',
    payment: 'maksājum',
    paymentService: 'maksājumu pakalpojum',
    order: 'pasūtījum',
    shop: 'veikal',
    amount: 'summ',
    code: 'kod[su]',
    image: 'attēl',
    device: 'ierīc',
    request: 'pieprasījum',
    confirm: 'apstiprin',
    logIn: 'piesakieties|pieteiktos',
    website: 'vietn',
    connection: 'savienojum',
    method: 'maksājuma veids',
    anotherWay: 'citā veidā',
    tryAgain: 'vēlreiz',
    chargedTwice: 'nauda netiks norakstīta divreiz',
    payTwice: 'citādi samaksāsiet divreiz',
    noMoney: 'nauda nav norakstīta',
    countsIfPaid: 'jūsu maksājums tiks ieskaitīts',
  },
  never: {
    'maksājumu lap': 'English says the wallet’s website',
    'maksājums ir derīgs': 'the payment counts; “derīgs” sounds as if it could expire',
    noņemt: 'colloquial: banks say “norakstīt”',
    'notiek sākšana': 'a calque of “starting”',
  },
} satisfies Glossary;
