// German.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'Sie, as German banks do. Buttons: noun or infinitive last (“Code kopieren”), never the imperative.',
  say: {
    wallet: 'Wallet',
    walletApp: 'Wallet-App',
    walletWebsite: 'Website der Wallet',
    walletId: 'Wallet-ID',
    payment: 'Zahlung',
    paymentService: 'Zahlungsdienst',
    order: 'Bestellung',
    shop: 'Shop',
    amount: 'Betrag',
    code: 'Code',
    image: 'Bild',
    device: 'Gerät',
    request: 'Anfrage',
    confirm: 'bestätig',
    logIn: 'anmelden|melden Sie sich',
    website: 'Website',
    connection: 'Verbindung',
    method: 'Zahlungsart',
    anotherWay: 'andere Zahlungsart',
    tryAgain: 'erneut',
    chargedTwice: 'nicht doppelt abgebucht',
    payTwice: 'sonst zahlen Sie doppelt',
    noMoney: 'nichts abgebucht',
    countsIfPaid: 'zählt Ihre Zahlung',
  },
  never: {
    Bezahlseite: 'English says the wallet’s website',
    '(das|im|dem) Wallet\\b': 'Wallet is feminine here: die Wallet',
    '(?<!un)gültig': 'the payment counts; “gültig” sounds as if it could expire',
    überzählig: 'stiff; the payment is “zusätzlich”',
    'offene[rn]? Zahlung': 'an “offene Zahlung” is one that is still owed',
  },
} satisfies Glossary;
