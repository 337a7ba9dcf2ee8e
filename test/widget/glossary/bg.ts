// Bulgarian.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'Вие with a capital, as Bulgarian banks write. Buttons: polite imperative (“Копирайте кода”), never a noun.',
  say: {
    wallet: 'портфейл',
    walletApp: 'приложението на портфейла',
    walletWebsite: 'сайт(а|ът)? на портфейла',
    walletId: 'номер.? на портфейл',
    payment: 'плащане',
    paymentService: 'услугата за плащане',
    order: 'поръчка',
    shop: 'магазин',
    amount: 'сума',
    code: 'код',
    image: 'изображение',
    device: 'устройство',
    request: 'заявка',
    confirm: 'потвър',
    logIn: 'влезте в профила си|влезете в профила си',
    website: 'сайт',
    connection: 'връзка',
    method: 'начин на плащане',
    anotherWay: 'по друг начин',
    tryAgain: 'опита(йт|т)е отново',
    chargedTwice: 'парите няма да бъдат изтеглени два пъти',
    payTwice: 'иначе ще платите два пъти',
    noMoney: 'не са изтеглени пари',
    countsIfPaid: 'плащането Ви се зачита',
  },
  never: {
    'страницата за плащане': 'English says the wallet’s website',
    отворено: 'a payment that is “open” is a calque: it is not finished yet',
    'такс(ува|а)': 'a fee; the money for the order is not a fee',
    'влезте в сайта': 'means to visit the site: one logs in to a profile',
    изтеглете: 'one word for one thing: money is “изтеглени”, so nothing is downloaded',
  },
} satisfies Glossary;
