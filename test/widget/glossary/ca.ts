// Catalan.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'vós in texts. Buttons: imperative of the second person singular (“Copia el codi”), as all Catalan software.',
  say: {
    wallet: 'moneder',
    walletApp: 'aplicació del moneder',
    walletWebsite: 'web del moneder',
    walletId: 'ID de(l)? moneder',
    payment: 'pagament',
    paymentService: 'servei de pagament',
    order: 'comanda',
    shop: 'botiga',
    amount: 'import',
    code: 'codi',
    image: 'imatge',
    device: 'dispositiu',
    request: 'sol·licitud',
    confirm: 'confirm',
    logIn: 'inici(ar|eu)(-hi)? sessió',
    website: 'web',
    connection: 'connexió',
    method: 'mètode de pagament',
    anotherWay: 'd’una altra manera',
    tryAgain: 'torn(a|ar|eu)-ho a provar',
    chargedTwice: 'No se us cobrarà dues vegades',
    payTwice: 'pagareu dues vegades',
    noMoney: 'no s’ha cobrat res',
    countsIfPaid: 'el vostre pagament és vàlid',
  },
  // The first sentence has just named the wallet.
  without: { walletApp: ['walletEmpty'] },
  never: {
    'pàgina de pagament': 'English says the wallet’s website',
    '^(Obtenint|Obrint|Enviant)': 'a lone gerund is copied from English or Spanish: “S’està obtenint”',
    cobrarem: 'neither shop nor widget charges: “No se us cobrarà”',
    'amb tranquil·litat': 'means “at your leisure”; the meaning is “sense cap risc”',
    'pagament de més': 'colloquial for “pagament addicional”',
  },
} satisfies Glossary;
