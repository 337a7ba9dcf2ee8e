// Urdu.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'آپ, as Pakistani banks and wallets do. No verb that shows the shopper’s gender: “آپ نے … کر دی ہے” or the imperative. Buttons: polite imperative (“کوڈ کاپی کریں”).',
  say: {
    wallet: 'والیٹ',
    walletApp: 'والیٹ ایپ',
    walletWebsite: 'والیٹ کی ویب سائٹ',
    walletId: 'والیٹ آئی ڈی',
    // “To pay an amount” is “ادا کریں”; a payment is “ادائیگی”.
    payment: 'ادائیگی',
    paymentService: 'ادائیگی کی سروس',
    order: 'آرڈر',
    shop: 'اسٹور',
    amount: 'رقم',
    code: 'کوڈ',
    image: 'تصویر',
    device: 'ڈیوائس',
    request: 'درخواست',
    confirm: 'تصدیق',
    logIn: 'لاگ اِن',
    website: 'ویب سائٹ',
    connection: 'کنکشن',
    method: 'ادائیگی کا (یہ )?طریقہ',
    anotherWay: 'کسی اور طریقے سے',
    tryAgain: 'دوبارہ کوشش کریں',
    chargedTwice: 'آپ سے دو بار رقم نہیں لی جائے گی',
    payTwice: 'ورنہ آپ سے دو بار ادائیگی ہو جائے گی',
    noMoney: 'کوئی رقم نہیں لی گئی',
    countsIfPaid: 'آپ کی ادائیگی شمار ہو گی',
  },
  never: {
    'ادائیگی ک[اے] صفح': 'English says the wallet’s website',
    'چاہیں گے|کر سکتے ہیں|چکے ہیں': 'a masculine form: it assumes the shopper’s gender',
    'درست مانی': 'the payment counts (“شمار ہو گی”); it is not judged to be correct',
    'چنیں|چن سکتے': 'one word for choosing: “منتخب کریں”',
    'جگہ دوسری': 'nobody replaced it: the shopper started a newer payment',
    'خود بخود': 'English no longer says that the page updates by itself',
  },
} satisfies Glossary;
