// French.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'vous, as French banks do, in words without gender. Buttons: infinitive (“Copier le code”).',
  say: {
    wallet: 'portefeuille',
    walletApp: 'application de portefeuille',
    walletWebsite: 'site du portefeuille',
    walletId: 'identifiant d[eu] portefeuille',
    payment: 'paiement',
    paymentService: 'service de paiement',
    order: 'commande',
    shop: 'boutique',
    amount: 'montant',
    code: 'code',
    image: 'image',
    device: 'appareil',
    request: 'demande',
    confirm: 'confirm',
    logIn: 'connectez-vous|vous connecter',
    website: 'site',
    connection: 'connexion',
    method: 'moyen de paiement',
    anotherWay: 'payer autrement',
    tryAgain: 'réessay',
    chargedTwice: 'Le montant ne sera pas débité deux fois',
    payTwice: 'sinon vous paierez deux fois',
    noMoney: 'aucun montant n’a été débité',
    countsIfPaid: 'votre paiement sera pris en compte',
  },
  // Beside “portefeuille” in the same panel, “application” alone is clear, and shorter on a button.
  without: { wallet: ['appOpen', 'direct'], walletApp: ['appOpen', 'direct', 'walletEmpty'] },
  never: {
    ' [:;!?»]|« ': 'an ordinary space lets the sign begin a line: U+00A0 or, before ; ! ?, U+202F',
    'page de paiement': 'English says the wallet’s website',
    'vous (n’avez pas été|ne serez pas) débité': 'the account is debited, not the shopper; and it needs a gender',
    'Aucun débit\\.': 'clipped: aucun montant n’a été débité',
    'd’essais': 'colloquial for “tentatives”',
    'toute seule': 'colloquial',
    'n’est pas affecté': 'calqued; means “is not assigned”',
    '\\bID d[eu]\\b': 'the shopper’s word is “identifiant”',
  },
} satisfies Glossary;
