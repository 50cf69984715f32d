import Foundation
import TenonValues
