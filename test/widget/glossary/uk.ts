// Ukrainian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'ви with a small letter. Buttons: infinitive (“Копіювати код”). An order is “оплачено”, a sum “сплачено”.',
  say: {
    wallet: 'гаман',
    walletApp: 'застосун(ок|ку) гаманця',
    walletWebsite: 'сайті? гаманця',
    walletId: 'ID гаманця',
    // A payment, and the act of paying.
    payment: 'плат[іе]ж|оплат',
    paymentService: 'платіжн(им|ому) сервіс',
    order: 'замовленн',
    shop: 'магазин',
    amount: 'сум[аиіу]',
    code: 'код',
    image: 'зображенн',
    device: 'пристр',
    request: 'запит',
    confirm: 'підтверд',
    logIn: 'увійдіть|увійти',
    website: 'сайт',
    connection: 'з’єднання',
    method: 'спосіб оплати',
    anotherWay: 'іншим способом',
    tryAgain: 'спроб\\S+ ще раз',
    chargedTwice: 'кошти не буде списано двічі',
    payTwice: 'інакше ви заплатите двічі',
    noMoney: 'кошти не списано',
    countsIfPaid: 'ваш платіж буде зараховано',
  },
  never: {
    'сторінк\\S+ оплати': 'English says the wallet’s website',
    'замовлення (вже )?сплачено': 'an order is “оплачено”, a sum “сплачено”',
    'додат(ок|ку|ка)': 'the Ukrainian word for an app is “застосунок”',
    замінено: 'nobody replaced it: the shopper started a newer payment',
  },
} satisfies Glossary;
