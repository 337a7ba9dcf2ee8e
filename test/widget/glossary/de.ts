// German.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'Sie, as German banks do. Buttons: noun or infinitive last (“Code kopieren”), never the imperative.',
  say: {
    wallet: 'Wallet',
    walletApp: 'Wallet-App',
    walletWebsite: 'Website (der|Ihrer) Wallet|Wallet-Website',
    walletId: 'Wallet-ID',
    payment: 'Zahlung|bezahlt|gezahlt',
    paymentService: 'Zahlungsdienst',
    order: 'Bestellung',
    shop: 'Shop',
    amount: 'Betrag',
    code: 'Code',
    image: 'Bild',
    device: 'Gerät',
    request: 'Anfrage',
    confirm: 'bestätig',
    logIn: 'anmelden|Melden Sie sich',
    website: 'Website',
    connection: 'Verbindung',
    method: 'Zahlungsart|Zahlungsmethode',
    anotherWay: 'Anders bezahlen|andere Zahlungsart',
    tryAgain: 'noch einmal|erneut',
    chargedTwice: 'doppelt',
    payTwice: 'doppelt',
    noMoney: 'nichts abgebucht',
    countsIfPaid: 'zählt',
  },
  never: { Bezahlseite: 'English says the wallet’s website' },
} satisfies Glossary;
