// Italian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'tu, as Italian wallets do, in words without gender. Buttons: imperative (“Copia il codice”).',
  say: {
    wallet: 'portafoglio',
    walletApp: 'app del (tuo )?portafoglio',
    walletWebsite: 'sito del portafoglio',
    walletId: 'ID d(i|el|el tuo) portafoglio',
    payment: 'pagamento',
    paymentService: 'servizio di pagamento',
    order: 'ordine',
    shop: 'negozio',
    amount: 'importo',
    code: 'codice',
    image: 'immagine',
    device: 'dispositivo',
    request: 'richiesta',
    confirm: 'conferma',
    logIn: 'effettua(re)? (invece )?l’accesso',
    website: 'sito',
    connection: 'connessione',
    method: 'metodo di pagamento',
    anotherWay: 'in un altro modo',
    tryAgain: 'riprova',
    chargedTwice: 'L’importo non ti verrà addebitato due volte',
    payTwice: 'altrimenti pagherai due volte',
    noMoney: 'non ti è stato addebitato nulla',
    countsIfPaid: 'il tuo pagamento è valido',
  },
  // The first sentence has just named the wallet.
  without: { walletApp: ['walletEmpty'] },
  never: {
    'pagina di pagamento': 'English says the wallet’s website',
    'accedi (al|sul)': 'reads as “go to the site”, not as “log in”',
    'Nessun addebito': 'clipped: non ti è stato addebitato nulla',
    'o (più|meno)\\.': 'translated from “or more”; one says “almeno”, “al massimo”',
    rimasto: 'for time it is “rimanente”',
  },
} satisfies Glossary;
