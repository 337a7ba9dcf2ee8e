// Turkish.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'siz, as Turkish banks and wallets do. Buttons: bare imperative (“Kodu kopyala”); headings and sentences: polite imperative (“okutun”).',
  say: {
    wallet: 'cüzdan',
    walletApp: 'cüzdan uygulama',
    walletWebsite: 'cüzdanın web sitesi',
    walletId: 'cüzdan numara',
    payment: 'ödeme',
    paymentService: 'ödeme hizmeti',
    order: 'sipariş',
    shop: 'mağaza',
    amount: 'tutar',
    code: 'kod',
    image: 'görsel',
    device: 'cihaz',
    request: 'ödeme isteği',
    confirm: 'onayla',
    logIn: 'oturum aç',
    website: 'web sitesi',
    connection: 'bağlantı',
    method: 'ödeme yöntemi',
    anotherWay: 'başka bir yöntemle',
    tryAgain: 'tekrar dene',
    chargedTwice: 'hesabınızdan iki kez para çekilmeyecek',
    payTwice: 'yoksa iki kez ödersiniz',
    noMoney: 'hesabınızdan para çekilmedi',
    countsIfPaid: 'ödemeniz geçerlidir',
  },
  never: {
    'ödeme sayfası': 'English says the wallet’s website',
    'açık ödeme|hâlâ açık': 'a payment that is “open” is a calque: it is not completed yet',
    '(?<!ödeme )isteğ': 'which request? banks say “ödeme isteği”',
    'resmi|resim': '“resmi” also means official: “görsel”',
    'en çok': 'beside an amount one says “en fazla”',
    değiştirildi: 'means modified; the shopper started a newer payment',
    'para alınma|ödeme alınma': 'money is taken from the account: “hesabınızdan para çekil-”',
    yeniden: 'one word for again: “tekrar”',
  },
} satisfies Glossary;
