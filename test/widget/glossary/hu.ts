// Hungarian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'Ön, third person. Buttons and the help of the methods: noun (“Kód másolása”), never the imperative.',
  say: {
    wallet: 'tárc[aá]',
    walletApp: 'tárcaalkalmazás',
    walletWebsite: 'tárca weboldal',
    walletId: 'tárcaazonosító',
    payment: 'fizetés',
    paymentService: 'fizetési szolgáltatás',
    order: 'rendelés',
    shop: 'bolt',
    amount: 'összeg',
    code: 'kód',
    image: 'kép(?!p)',
    device: 'eszköz',
    // As in “fizetési kérelem”, the request to pay of Hungarian banks.
    request: 'kérel(em|m)',
    confirm: 'hagyja jóvá|hagyjon jóvá|hagyta jóvá|jóváhagyás',
    logIn: 'jelentkez',
    website: 'weboldal',
    connection: 'kapcsolat(?!f)',
    method: 'fizetési mód',
    anotherWay: 'más módon',
    tryAgain: 'próbálja újra|újrapróbál',
    chargedTwice: 'az összeget nem vonják le kétszer',
    payTwice: 'különben kétszer fizet',
    noMoney: 'nem vontak le pénzt',
    countsIfPaid: 'a fizetését figyelembe vesszük',
  },
  never: {
    'fizetési oldal': 'English says the wallet’s website',
    'nyitott|nyitva': 'a payment that is “open” is a calque: it is not finished yet',
    'hivatkozás(?!i szám)': 'both a link and a reference: “link”, “hivatkozási szám”',
    üzlet: 'one word for the shop: “bolt”',
    terhel: 'debits an account, and nobody knows who: money is “levon”',
    érvényes: 'the payment counts; “érvényes” sounds as if it could expire',
  },
} satisfies Glossary;
