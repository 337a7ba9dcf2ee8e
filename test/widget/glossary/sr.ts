// Serbian, in Cyrillic script; sr-Latn.ts says the same in Latin.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'ви with a small letter. Buttons: imperative of the second person singular (“Копирај код”).',
  say: {
    wallet: 'новчаник',
    walletApp: 'апликациј(а|у|и|ом) новчаника',
    walletWebsite: 'сајту? новчаника',
    walletId: 'ID новчаника',
    // The act of paying, and the money that arrives.
    payment: 'плаћањ|уплат',
    paymentService: 'услуга плаћања',
    order: 'поруџбин',
    shop: 'продавниц',
    amount: 'износ',
    code: 'код',
    image: 'слик',
    device: 'уређај',
    request: 'захтев',
    confirm: 'потврд',
    logIn: 'пријав',
    website: 'сајт',
    connection: 'вез[ау]',
    method: 'начин плаћања',
    anotherWay: 'на други начин',
    tryAgain: 'поку\\S+ поново',
    chargedTwice: 'новац вам неће бити скинут два пута',
    payTwice: 'иначе ћете платити два пута',
    noMoney: 'новац вам није скинут',
    countsIfPaid: 'ваша уплата важи',
  },
  never: {
    'страниц\\S+ за плаћање': 'English says the wallet’s website',
    'још је отворено': 'a payment that is “open” is a calque: it is not finished yet',
    'нема везе': 'also means “never mind”',
    'молимо вас да': 'too long for a button’s help: the polite imperative is enough',
  },
} satisfies Glossary;
