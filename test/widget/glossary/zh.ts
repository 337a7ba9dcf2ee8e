// Chinese (Simplified).
import type { Glossary } from '../glossary.ts';

export default {
  address:
    '您 where it is needed, often left out. Requests begin with 请; buttons are a verb with its object, without 请.',
  say: {
    wallet: '钱包',
    walletApp: '钱包 App',
    walletWebsite: '钱包网站',
    walletId: '钱包 ID',
    // 付款 is the noun and the act; 支付 only has an amount or an order as its object.
    payment: '付款',
    paymentService: '支付服务',
    order: '订单',
    shop: '商家',
    amount: '金额',
    code: '二维码|扫码|JetGo 码',
    image: '图片',
    device: '设备',
    request: '请求',
    confirm: '确认',
    logIn: '登录',
    website: '网站',
    connection: '连接',
    method: '付款方式',
    anotherWay: '其他方式付款',
    tryAgain: '重试',
    chargedTwice: '您不会被重复扣款',
    payTwice: '否则会重复付款',
    noMoney: '未扣款',
    countsIfPaid: '付款仍然有效',
  },
  never: {
    付款码: 'the code that a payer shows to a shop, which must never be copied or shared',
    应用: 'wallets in China say App',
    以免: 'weaker than “or you will pay twice”',
    支付页面: 'English says the wallet’s website',
    替换: 'a calque of “replaced”',
  },
} satisfies Glossary;
