// Chinese (Traditional). For Taiwan first, in words that Hong Kong and Macau also use.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    '您 where it is needed, often left out. Requests begin with 請; buttons are a verb with its object, without 請.',
  say: {
    wallet: '錢包',
    walletApp: '錢包 App',
    walletWebsite: '錢包網站',
    walletId: '錢包 ID',
    // 付款 is the noun and the act; 支付 only has an amount or an order as its object.
    payment: '付款',
    paymentService: '付款服務',
    order: '訂單',
    shop: '商家',
    amount: '金額',
    code: 'QR Code|掃碼|JetGo 碼',
    image: '圖片',
    device: '裝置',
    request: '請求',
    confirm: '確認',
    logIn: '登入',
    website: '網站',
    connection: '連線',
    method: '付款方式',
    anotherWay: '其他方式付款',
    tryAgain: '重試',
    chargedTwice: '您不會被重複扣款',
    payTwice: '否則會重複付款',
    noMoney: '未扣款',
    countsIfPaid: '付款仍然有效',
  },
  never: {
    付款碼: 'the code that a payer shows to a shop, which must never be copied or shared',
    'QR 碼': 'payment pages say QR Code',
    應用程式: 'wallets say App',
    以免: 'weaker than “or you will pay twice”',
    付款頁面: 'English says the wallet’s website',
    '屏幕|網絡|鏈接|保存|服務器|信息': 'not said in Taiwan',
  },
} satisfies Glossary;
