// Russian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'вы with a small letter. Buttons: infinitive (“Скопировать код”).',
  say: {
    wallet: 'кошел[ёь]',
    walletApp: 'приложени[еия] кошелька',
    walletWebsite: 'сайте? кошелька',
    walletId: 'ID кошелька',
    // A payment, and the act of paying.
    payment: 'плат[её]ж|оплат',
    paymentService: 'платёжн(ым|ом) сервис',
    order: 'заказ',
    shop: 'магазин',
    amount: 'сумм',
    code: 'код',
    image: 'изображени',
    device: 'устройств',
    request: 'запрос',
    confirm: 'подтвер',
    logIn: 'войдите|войти',
    website: 'сайт',
    connection: 'соединени',
    method: 'способ оплаты',
    anotherWay: 'другим способом',
    tryAgain: 'попроб\\S+ ещё раз',
    chargedTwice: 'деньги не спишутся дважды',
    payTwice: 'иначе вы заплатите дважды',
    noMoney: 'деньги не списаны',
    countsIfPaid: 'ваш платёж будет засчитан',
  },
  never: {
    'страниц\\S+ оплаты': 'English says the wallet’s website',
    картинк: 'colloquial: “изображение”',
    заменён: 'nobody replaced it: the shopper started a newer payment',
    'другим устройством': 'one scans “с другого устройства”',
    'открыт(ый|ому) платеж': 'a payment that is “open” is a calque: it is not finished yet',
  },
} satisfies Glossary;
