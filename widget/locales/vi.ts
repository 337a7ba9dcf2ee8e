// Vietnamese.
import type { Messages } from './en.ts';

export default {
  choose: 'Bạn muốn thanh toán bằng cách nào?',
  DIRECT: 'Ví điện tử',
  DIRECT_help: 'Xác nhận trong ứng dụng ví',
  CHECKOUT: 'Thanh toán trực tuyến',
  CHECKOUT_help: 'Đăng nhập trên trang web của ví',
  JETGO: 'JetGo',
  JETGO_help: 'Mã JetGo dành cho ứng dụng ví',
  QR: 'Mã QR',
  QR_help: 'Mã dành cho ứng dụng ví',

  amount: 'Số tiền',
  amountWrong: 'Vui lòng nhập số tiền, ví dụ {example}.',
  atLeast: 'Tối thiểu {min}',
  atMost: 'Tối đa {max}',
  wallet: 'ID ví',
  walletHelp: 'Dãy số hiển thị trong ứng dụng ví của bạn',
  below: 'Vui lòng nhập từ {min} trở lên.',
  above: 'Vui lòng nhập không quá {max}.',
  walletWrong: 'Vui lòng nhập dãy 4 đến 20 chữ số hiển thị trong ứng dụng ví.',
  pay: 'Thanh toán {amount}',
  sending: 'Đang bắt đầu…',
  slow: 'Kết nối chậm. Chúng tôi vẫn đang thử lại; bạn sẽ không bị trừ tiền hai lần.',
  back: 'Quay lại giao dịch',
  open: 'Giao dịch bạn đã bắt đầu vẫn chưa hoàn tất. Vui lòng chỉ xác nhận một giao dịch, nếu không bạn sẽ trả tiền hai lần.',
  unpaid: 'Vui lòng thanh toán trước.',

  checking: 'Đang kiểm tra giao dịch của bạn',
  checking_help: 'Việc này có thể mất vài phút. Vui lòng không thanh toán lại.',
  redirect: 'Tiếp tục đến trang thanh toán',
  redirect_help: 'Đăng nhập tại đó và xác nhận thanh toán. Trang này sẽ tự cập nhật.',
  notDirect:
    'Không thể gửi yêu cầu đến ID ví này. Thay vào đó, vui lòng đăng nhập tại trang thanh toán. Trang này sẽ tự cập nhật.',
  redirectOpen: 'Đến trang thanh toán',
  redirectUnsafe:
    'Không thể mở trang thanh toán một cách an toàn. Không có khoản tiền nào bị trừ. Vui lòng chọn phương thức khác.',
  timeLeft: 'Thời gian còn lại: {time}',
  timeUp: 'Đã hết thời gian',
  timeUp_help: 'Chúng tôi đang kiểm tra xem khoản thanh toán của bạn đã đến chưa.',
  scan: 'Quét mã để thanh toán',
  scan_help: 'Mở ứng dụng ví, quét mã và xác nhận.',
  scanOther: 'Hoặc quét mã bằng thiết bị khác.',
  scanLabel: 'Mã QR để thanh toán {amount}',
  appOpen: 'Mở ứng dụng ví',
  app: 'Thanh toán trong ứng dụng ví',
  app_help: 'Xác nhận thanh toán tại đó. Trang này sẽ tự cập nhật.',
  copy: 'Sao chép mã',
  copied: 'Đã sao chép',
  save: 'Lưu hình ảnh',
  direct: 'Xác nhận trong ứng dụng ví',
  direct_help: 'Có một yêu cầu đang chờ trong ví của bạn. Trang này sẽ tự cập nhật.',
  waiting: 'Đang chờ bạn thanh toán',
  other: 'Phương thức khác',

  paid: 'Đã nhận thanh toán',
  surplus:
    'Đơn hàng này đã được thanh toán hơn một lần. Cửa hàng đã được thông báo; vui lòng liên hệ cửa hàng về khoản thanh toán thừa.',
  otherOpen:
    'Một giao dịch khác cho đơn hàng này vẫn chưa hoàn tất. Vui lòng không xác nhận giao dịch đó để tránh trả tiền hai lần.',
  method: 'Phương thức',
  order: 'Đơn hàng',
  date: 'Ngày',
  DECLINED: 'Giao dịch không hoàn tất',
  DECLINED_help: 'Không có khoản tiền nào bị trừ. Bạn có thể thử lại hoặc dùng phương thức khác.',
  EXPIRED: 'Đã hết thời gian',
  EXPIRED_help:
    'Nếu bạn đã xác nhận vào phút chót, giao dịch sẽ hiển thị tại đây sau vài phút. Nếu không, không có khoản tiền nào bị trừ.',
  REPLACED: 'Giao dịch này đã được thay thế',
  REPLACED_help: 'Nếu giao dịch trước đó vẫn thành công, giao dịch sẽ hiển thị tại đây.',
  REJECTED: 'Giao dịch không được chấp nhận',
  REJECTED_help: 'Không có khoản tiền nào bị trừ. Vui lòng kiểm tra thông tin hoặc dùng phương thức khác.',
  NOT_CREATED: 'Giao dịch chưa được bắt đầu',
  NOT_CREATED_help: 'Không có khoản tiền nào bị trừ. Bạn có thể yên tâm thử lại.',
  again: 'Thử lại',

  lost: 'Mất kết nối. Chúng tôi vẫn đang thử lại; giao dịch của bạn không bị ảnh hưởng.',
  retry: 'Thử ngay',
  reload: 'Tải lại trang',
  stopped: 'Không thể tiếp tục thanh toán tại đây',
  token_expired: 'Trang này đã hết hạn. Vui lòng tải lại để tiếp tục. Nếu bạn đã thanh toán, giao dịch vẫn hợp lệ.',
  invalid_token:
    'Liên kết thanh toán không hợp lệ. Nếu bạn đã thanh toán, giao dịch vẫn hợp lệ. Vui lòng quay lại cửa hàng.',
  network:
    'Không thể kết nối với dịch vụ thanh toán. Vui lòng kiểm tra kết nối và thử lại: bạn sẽ không bị trừ tiền hai lần.',
  invalid_request: 'Vui lòng kiểm tra thông tin. Không có khoản tiền nào bị trừ.',
  already_paid: 'Đơn hàng này đã được thanh toán. Bạn không bị trừ tiền thêm lần nữa.',
  order_changed: 'Đơn hàng đã thay đổi. Không có giao dịch mới nào được bắt đầu. Vui lòng quay lại cửa hàng.',
  method_unavailable:
    'Phương thức này hiện không khả dụng. Không có khoản tiền nào bị trừ. Vui lòng dùng phương thức khác.',
  too_many_payments:
    'Đơn hàng này đã được thử quá nhiều lần. Không có giao dịch mới nào được bắt đầu. Vui lòng liên hệ cửa hàng.',
  too_many_requests:
    'Đã thử quá nhiều lần. Không có khoản tiền nào bị trừ. Vui lòng thử lại sau hoặc dùng phương thức khác.',
  forbidden_origin:
    'Trang này không được phép nhận thanh toán. Không có giao dịch mới nào được bắt đầu. Vui lòng báo cho cửa hàng.',
  tryLater: 'Dịch vụ thanh toán đang gặp sự cố. Vui lòng thử lại: bạn sẽ không bị trừ tiền hai lần.',
  tryNever: 'Không thể bắt đầu thanh toán. Không có khoản tiền nào bị trừ. Vui lòng liên hệ cửa hàng.',
  reference: 'Mã tham chiếu: {id}',
} satisfies Messages;
