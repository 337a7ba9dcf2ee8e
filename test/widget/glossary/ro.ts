// Romanian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'dumneavoastră, by the verb alone, as Romanian banks do. Buttons: imperative plural (“Copiați codul”).',
  say: {
    wallet: 'portofel',
    walletApp: 'aplicația portofelului',
    walletWebsite: 'site-ul portofelului',
    walletId: 'ID(-ul)? (de )?portofel',
    payment: 'plat[ăa]|plăți',
    paymentService: 'serviciul de plată',
    order: 'comand[ăa]',
    shop: 'magazin',
    amount: 'sum[ăa]',
    code: 'cod',
    image: 'imagine',
    device: 'dispozitiv',
    request: 'solicit',
    confirm: 'confirm',
    logIn: 'autentific',
    website: 'site',
    connection: 'conexiune',
    method: 'metodă de plată',
    anotherWay: 'în alt mod',
    tryAgain: 'încerca(ți)? din nou',
    chargedTwice: 'Suma nu va fi debitată de două ori',
    payTwice: 'altfel veți plăti de două ori',
    noMoney: 'nu s-a debitat nicio sumă',
    countsIfPaid: 'plata este valabilă',
  },
  // The first sentence has just named the wallet.
  without: { walletApp: ['walletEmpty'] },
  never: {
    'pagina de plată': 'English says the wallet’s website',
    conectați: 'for “log in” banks say “autentificați-vă”; connecting is for networks',
    'fără grijă': 'means “carefree”; the meaning is “fără niciun risc”',
    'în plus': 'ambiguous; the payment is “suplimentară”',
    'sau mai (mult|puțin)': 'translated from “or more”; one says “cel puțin”, “cel mult”',
    '[şţ]': 'cedillas; Romanian has ș and ț with a comma',
  },
} satisfies Glossary;
