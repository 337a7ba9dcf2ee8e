// Arabic.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'Singular imperative, as Arab banks and wallets do (written without vowels, most other forms have no gender); “يُرجى” with a noun for please. Buttons: verbal noun (“نسخ الرمز”), never the imperative.',
  say: {
    wallet: 'محفظ',
    walletApp: 'تطبيق (المحفظة|محفظتك)',
    walletWebsite: 'موقع المحفظة',
    walletId: 'رقم المحفظة',
    payment: 'دفع',
    paymentService: 'خدمة الدفع',
    // Without “الدفع”: that is a request to pay.
    order: 'طلب(?! (ال)?دفع)',
    shop: 'متجر',
    amount: 'مبلغ',
    code: 'رمز',
    image: 'صورة',
    device: 'جهاز',
    request: 'طلب (ال)?دفع',
    confirm: 'أكّد|تؤكّد|التأكيد',
    logIn: 'سجّل الدخول|تسجيل الدخول',
    website: 'موقع',
    connection: 'اتصال',
    method: 'طريقة الدفع',
    anotherWay: 'بطريقة أخرى',
    tryAgain: 'إعادة المحاولة|أعد المحاولة',
    chargedTwice: 'لن يُخصم المبلغ مرتين',
    payTwice: 'وإلا فستدفع مرتين',
    noMoney: 'لم يُخصم أي مبلغ',
    countsIfPaid: 'فستُحتسب عملية الدفع',
  },
  without: {
    // One receives the amount: “استلام الدفع” is a calque.
    payment: ['paid'],
  },
  never: {
    'دفعة|دفعتك|الدفعات': 'an instalment, or a batch: a payment is “عملية الدفع”',
    'صفحة الدفع': 'English says the wallet’s website',
    مفتوحة: 'a payment that is “open” is a calque: it is not completed yet',
    سارية: 'the payment counts; “سارية” means valid for a time',
    استُبدل: 'nobody replaced it: the shopper started a newer payment',
    'يُخصم منك': 'an amount is deducted, not a person',
  },
} satisfies Glossary;
